// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "kit",
    platforms: [.macOS(.v15)],
    products: [.library(name: "BenchKit", targets: ["BenchKit"])],
    targets: [
        .target(
            name: "BenchKit",
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ])
    ]
)
