// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "peers",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(name: "kit", path: "../Kit"),
    ],
    targets: [
        .executableTarget(
            name: "AsyncHTTPClientPeer",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "BenchKit", package: "kit"),
            ], swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(
            name: "URLSessionPeer", dependencies: [.product(name: "BenchKit", package: "kit")],
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
