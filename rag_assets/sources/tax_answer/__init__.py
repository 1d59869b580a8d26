"""Tax Answer (国税庁タックスアンサー): one article of the site, one record."""
