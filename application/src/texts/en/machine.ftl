# What the machine says, to models and to people.

machine-results = { $failed ->
    [0] { $done } done.
   *[other] { $done ->
        [0] { $failed } not done.
       *[other] { $done } done, { $failed } not done.
    }
}
