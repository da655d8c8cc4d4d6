"""Buildings: graphs, simulator, views and features."""
