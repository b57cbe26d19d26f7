// One import for the modules that only compute. InklingNode is not among them: it owns files, tasks and a clock, which
// an app with an event loop of its own does not want.
@_exported public import InklingEngine
@_exported public import InklingKeys
@_exported public import InklingWire
