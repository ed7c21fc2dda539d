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
let sternaTesting: Target.Dependency = .product(name: "SternaTesting", package: "sterna")
let codecs: Target.Dependency = .product(name: "SternaImageCodecs", package: "SternaImageCodecs")

// A package of its own, so that only programs with windows need GTK, and only those with web views WebKitGTK.
let package = Package(
    name: "sterna-gtk",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "SternaGTK", targets: ["SternaGTK"])
    ],
    dependencies: [
        .package(name: "sterna", path: "../.."),
        .package(path: "../SternaImageCodecs"),
    ],
    targets: [
        .systemLibrary(name: "CSternaLibGTK", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"])]),
        .target(name: "CSternaGTK", dependencies: ["CSternaLibGTK"], linkerSettings: [.linkedLibrary("dispatch")]),
        .target(
            name: "SternaGTK", dependencies: [sternaImages, sterna, "CSternaGTK", "CSternaLibGTK"],
            swiftSettings: strict),
        // Rules without widgets, which need no display.
        .testTarget(name: "SternaGTKTests", dependencies: ["SternaGTK", sternaImages], swiftSettings: strict),
        // `swift test` does not run the main actor on the process's first thread, which GTK needs: these tests are a program.
        .target(name: "CGTKChecks", dependencies: ["CSternaLibGTK"], path: "Tests/CGTKChecks"),
        .target(
            name: "PictureSite", dependencies: [sternaImages, sterna, sternaTesting], path: "Tests/PictureSite",
            swiftSettings: strict),
        .executableTarget(
            name: "WidgetTests",
            dependencies: [
                "SternaGTK", "CSternaGTK", "CSternaLibGTK", "CGTKChecks", "PictureSite", codecs, sternaImages, sterna,
                sternaTesting,
            ],
            path: "Tests/WidgetTests", swiftSettings: strict),
        .executableTarget(
            name: "Gallery",
            dependencies: [
                "SternaGTK", "CSternaGTK", "CSternaLibGTK", "CGTKChecks", "PictureSite", codecs, sternaImages, sterna,
                sternaTesting,
            ],
            path: "Examples/Gallery", swiftSettings: strict),
    ]
)
