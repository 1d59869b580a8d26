"""The HTML report of a run: its data, sentences, panels and page. What is computed or stored lies outside."""
