# Pourquoi une demande est refusée, et ce qui est dit quand quelque chose a changé.

news-data-title = # Données toujours envoyées, telles qu’elles étaient au début de cette conversation (ou de cette partie)
news-data-changed = Ces données ont changé ; désormais :
news-data-gone = { $section } n’est plus envoyé ; lisez-le quand vous en avez besoin.
news-data-order = Les données toujours envoyées sont les mêmes, dans un autre ordre.
