// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that the library does not depend on Hummingbird. The server does not use Sterna: with it in the package, the
// root's checkouts and objects serve here as well.
let package = Package(
    name: "traced-server",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "sterna", path: "../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    ],
    targets: [
        .executableTarget(
            name: "TracedServer",
            dependencies: [
                .product(name: "Sterna", package: "sterna"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
            ])
    ]
)
