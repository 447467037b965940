# Why a request is refused, and what is told when something changed.

news-data-title = # Data that is always sent, as it was when this conversation (or this part of it) began
news-data-changed = This data has changed; from now on it is:
news-data-gone = { $section } is no longer sent; read it when you need it.
news-data-order = The data that is always sent is the same, in another order.
