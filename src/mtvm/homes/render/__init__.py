"""From a home to its pictures and to what is seen in them."""
