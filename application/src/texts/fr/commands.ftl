# Ce que disent les commandes : les actions en mots, pourquoi elles sont refusées, et ce qu'un modèle lit de chacune.

## Périodes et instants

calendar-no-instant = « { $given } » n'est pas un instant ; écrivez la date, l'heure et le décalage comme 2026-11-20T08:30:00Z, ou sans le décalage à l'horloge de l'espace
calendar-out = ceci se trouve hors des années -9999 à 9999
calendar-too-many-days = ceci compte plus de { $most } jours ; demandez une période plus courte
calendar-no-period = « { $given } » n'est pas une période ; écrivez décalage_TYPE comme -1_WEEK ou 0_DAY
calendar-no-offset = « { $given } » n'est pas le décalage d'une période ; écrivez un nombre entier, à { $most } au plus de 0
calendar-no-unit = « { $given } » n'est pas une unité de période ; les unités sont { $units }
calendar-backwards = until est avant from
