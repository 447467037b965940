# Ce que dit la machine, aux modèles et aux personnes.

machine-results = { $failed ->
    [0] { $done } { $done ->
        [one] faite
       *[other] faites
    }.
   *[other] { $done ->
        [0] { $failed } { $failed ->
            [one] non faite
           *[other] non faites
        }.
       *[other] { $done } { $done ->
            [one] faite
           *[other] faites
        }, { $failed } { $failed ->
            [one] non faite
           *[other] non faites
        }.
    }
}
