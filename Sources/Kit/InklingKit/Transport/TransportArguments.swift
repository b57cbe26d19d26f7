public import ArgumentParser
internal import InklingEngine
public import InklingPlatforms

// The names on the command line are those of the specifications.
extension TransportOption: ExpressibleByArgument {}
extension TransportRelation: ExpressibleByArgument {}
extension TransportPurpose: ExpressibleByArgument {}
extension ProfileRow: ExpressibleByArgument {}
extension ProfileSubject: ExpressibleByArgument {}
