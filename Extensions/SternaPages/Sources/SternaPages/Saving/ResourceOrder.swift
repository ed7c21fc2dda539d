import SternaCore

/// The order in which a page needs its resources, whatever the order of the responses was.
enum ResourceOrder {
    /// Returns the numbers of what was loaded, without the page, in the order of a walk along all references.
    static func order(of loaded: [Int: LoadedResource], _ ids: [HTTPURL: Int], _ options: PageOptions) -> [Int] {
        var order: [Int] = []
        var seen: Set<Int> = [0]
        var waiting = [0]
        var next = 0
        while next < waiting.count {
            defer { next += 1 }
            guard let resource = loaded[waiting[next]] else { continue }
            for target in resource.targets(longest: options.maxReferenceLength) {
                guard let target, let id = ids[target.url], seen.insert(id).inserted else { continue }
                order.append(id)
                waiting.append(id)
            }
        }
        return order
    }
}
