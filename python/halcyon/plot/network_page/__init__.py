"""A web page that shows the load of a network's links over time, as one self-contained HTML file."""
