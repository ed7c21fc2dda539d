// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let sterna: Target.Dependency = .product(name: "Sterna", package: "sterna")
let sternaImages: Target.Dependency = .product(name: "SternaImages", package: "sterna")
let sternaReachability: Target.Dependency = .product(name: "SternaReachability", package: "sterna")
let sternaSigning: Target.Dependency = .product(name: "SternaSigning", package: "sterna")
let sternaTesting: Target.Dependency = .product(name: "SternaTesting", package: "sterna")
let codecs: Target.Dependency = .product(name: "SternaImageCodecs", package: "SternaImageCodecs")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")

// A package of its own, so that only programs with windows need GTK, and only those with web views WebKitGTK.
let package = Package(
    name: "sterna-gtk",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "SternaGTK", targets: ["SternaGTK"]),
        .library(name: "SternaWebKitGTK", targets: ["SternaWebKitGTK"]),
    ],
    dependencies: [
        .package(name: "sterna", path: "../.."),
        .package(path: "../SternaImageCodecs"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: [
        .systemLibrary(name: "CSternaLibGTK", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"])]),
        .target(name: "CSternaGTK", dependencies: ["CSternaLibGTK"], linkerSettings: [.linkedLibrary("dispatch")]),
        .target(
            name: "SternaGTK", dependencies: [sternaImages, sternaReachability, sterna, "CSternaGTK", "CSternaLibGTK"],
            swiftSettings: strict),
        .systemLibrary(
            name: "CSternaLibWebKitGTK", pkgConfig: "webkitgtk-6.0", providers: [.apt(["libwebkitgtk-6.0-dev"])]),
        .target(name: "CSternaWebKitGTK", dependencies: ["CSternaLibWebKitGTK"]),
        .target(
            name: "SternaWebKitGTK",
            dependencies: [
                "SternaGTK", sterna, nioCore, "CSternaGTK", "CSternaWebKitGTK", "CSternaLibWebKitGTK",
            ],
            swiftSettings: strict),
        // Rules without widgets, which need no display.
        .testTarget(
            name: "SternaGTKTests", dependencies: ["SternaGTK", "SternaWebKitGTK", sterna, sternaImages],
            swiftSettings: strict),
        // `swift test` does not run the main actor on the process's first thread, which GTK needs: these tests are a program.
        .target(name: "CGTKChecks", dependencies: ["CSternaLibGTK"], path: "Tests/CGTKChecks"),
        .target(
            name: "PictureSite", dependencies: [sternaImages, sterna, sternaTesting], path: "Tests/PictureSite",
            swiftSettings: strict),
        .executableTarget(
            name: "WidgetTests",
            dependencies: [
                "SternaGTK", "CSternaGTK", "CSternaLibGTK", "CGTKChecks", "PictureSite", codecs, sternaImages, sterna,
                sternaReachability, sternaTesting,
            ],
            path: "Tests/WidgetTests", swiftSettings: strict),
        .executableTarget(
            name: "Gallery",
            dependencies: [
                "SternaGTK", "CSternaGTK", "CSternaLibGTK", "CGTKChecks", "PictureSite", codecs, sternaImages, sterna,
                sternaReachability, sternaTesting,
            ],
            path: "Examples/Gallery", swiftSettings: strict),
        .executableTarget(
            name: "WebViewTests",
            dependencies: ["SternaGTK", "SternaWebKitGTK", "CSternaLibGTK", sterna, sternaSigning, sternaTesting],
            path: "Tests/WebViewTests", swiftSettings: strict),
    ]
)
