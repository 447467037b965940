# Ce que coûtent les appels aux modèles.

# $amount est un nombre décimal de dollars des États-Unis.
cost-exactly = { $amount } $
cost-at-least = au moins { $amount } $
cost-unknown = inconnu
cost-none = Aucun modèle n’a été appelé.
cost-total = total
cost-no-key = -
cost-no-day = { $flag } attend un jour comme 2026-11-01, pas « { $given } »
# $count sessions.
cost-uncounted = sans { $count } sessions dont les journaux n’ont pas pu être lus lors de l’addition des coûts
cost-rebuilt = les coûts de { $count } sessions sont additionnés
cost-by-tree = arbre
cost-by-attempt = tentative
cost-by-round = tour
cost-by-session = session
cost-by-automation = automatisation
cost-by-day = jour
cost-by-model = modèle
cost-by-person = personne
cost-by-command = commande
# $name est celui d’une automatisation.
cost-automation = automatisation { $name }
cost-by-provider = fournisseur
head-attempts = tentatives
head-input = entrée
head-cache-read = lus du cache
head-cache-write = écrits au cache
head-output = sortie
head-cost = coût
cost-amount = { $amount } USD, { $tokens } { $tokens ->
    [one] token
   *[other] tokens
}
cost-settled = L’usage de { $call } est réglé.
head-reservations = réservé
cost-reservation = { $state } { $amount }
sheet-reserved = réservé
sheet-uncertain = incertain
sheet-overrun = au-delà des réservations
sheet-own-cost = dont en propre
sheet-cost = coût
provider-prices-table = prix : le tarif du { $date }, { $source }
provider-prices-told = prix : le serveur dit ce que chaque réponse a coûté
provider-prices-unknown = prix : inconnus, donc les coûts aussi ; fixez prices = {"{"} input = "…", output = "…" {"}"}
cost-csv-or-json = --csv et --json ne vont pas ensemble ; choisissez l’un des deux
