// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "sterna", path: "..")],
    targets: [
        .executableTarget(
            name: "Serialization", dependencies: [.product(name: "Sterna", package: "sterna")],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(
            name: "Trust",
            dependencies: [
                .product(name: "Sterna", package: "sterna"), .product(name: "SternaTesting", package: "sterna"),
            ], swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
