"""What all of AWS has in common: what its errors mean, and how long what passes is waited out."""
