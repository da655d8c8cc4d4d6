"""The page to watch, question and steer agents, and the figures that it is made of."""
