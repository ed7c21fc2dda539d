/// A cell that shows one item of a list after another.
@MainActor public protocol RecycledCell: AnyObject {
    associatedtype Item

    /// The cell's widget.
    var widget: WidgetPointer { get }

    /// Shows an item.
    func show(_ item: Item)

    /// Gives up what is under way for the item, which has been scrolled away.
    func prepareForReuse()
}
