import CSternaGTK
import CSternaLibGTK

/// A scrolling list or grid whose cells are used again: GTK's list widgets with cells and items in Swift.
///
///     let grid = RecycledList(.grid(columns: 2...6), items: pictures) { PictureCell(images) }
///     gtk_box_append(box, grid.widget)
///
/// There are as many cells as GTK keeps around what is visible, about 30 rows of a grid and 200 of a list, however many items there are.
@MainActor public final class RecycledList<Cell: RecycledCell> {
    /// How the cells are laid out.
    public enum Layout: Sendable, Hashable {
        case list
        case grid(columns: ClosedRange<Int>)
    }

    /// The GtkScrolledWindow with the list.
    public var widget: WidgetPointer { scroller.raw.assumingMemoryBound(to: GtkWidget.self) }

    /// The GtkListView or GtkGridView.
    public var list: WidgetPointer { view.raw.assumingMemoryBound(to: GtkWidget.self) }

    /// Called with the position of an item that was chosen, by a double click or Enter.
    public var activated: (@MainActor (Int) -> Void)?

    /// The number of cells that were made so far.
    public private(set) var madeCells = 0

    /// The number of times that a cell was given an item.
    public private(set) var shownItems = 0

    /// What is shown. ``replaceSubrange(_:with:)`` changes a part of it.
    public var items: [Cell.Item] {
        get { stored }
        set { replaceSubrange(0..<stored.count, with: newValue) }
    }

    private var stored: [Cell.Item] = []
    private let scroller: ObjectReference
    private let view: ObjectReference
    private let model: ObjectReference
    private let makeCell: @MainActor () -> Cell

    /// Makes a list.
    ///
    /// - Parameters:
    ///   - label: what the list has, for screen readers.
    ///   - makeCell: makes a cell, which is kept and used for many items.
    public init(
        _ layout: Layout, items: [Cell.Item] = [], label: String = "", makeCell: @escaping @MainActor () -> Cell
    ) {
        self.makeCell = makeCell
        let store: OpaquePointer = g_list_store_new(g_object_get_type())
        model = ObjectReference(taking: UnsafeMutableRawPointer(store))
        let factory: OpaquePointer = gtk_signal_list_item_factory_new()
        let selection = gtk_no_selection_new(OpaquePointer(g_object_ref(model.raw)))
        let made: WidgetPointer
        switch layout {
        case .list: made = gtk_list_view_new(selection, factory)
        case .grid(let columns):
            made = gtk_grid_view_new(selection, factory)
            gtk_grid_view_set_min_columns(made.opaque, guint(clamping: columns.lowerBound))
            gtk_grid_view_set_max_columns(made.opaque, guint(clamping: columns.upperBound))
        }
        view = ObjectReference(sinking: made)
        scroller = ObjectReference(sinking: gtk_scrolled_window_new())
        gtk_scrolled_window_set_child(scroller.opaque, list)
        gtk_widget_set_vexpand(widget, 1)
        gtk_widget_set_hexpand(widget, 1)
        sterna_gtk_set_label(list, label)
        connect(UnsafeMutableRawPointer(factory))
        view.raw.onSignal(at: "activate") { [weak self] position in self?.activated?(position) }
        replaceSubrange(0..<0, with: items)
    }

    private static var key: String { "sterna-cell" }

    private func connect(_ factory: UnsafeMutableRawPointer) {
        factory.onSignal(of: "setup") { [weak self] item in self?.setUp(item) }
        factory.onSignal(of: "bind") { [weak self] item in self?.bind(item) }
        factory.onSignal(of: "unbind") { item in Self.cell(of: item)?.prepareForReuse() }
        factory.onSignal(of: "teardown") { item in
            gtk_list_item_set_child(item.opaque, nil)
            item.raw.keep(nil, as: Self.key)
        }
    }

    /// Replaces some items. Cells of others stay as they are.
    public func replaceSubrange(_ range: Range<Int>, with new: [Cell.Item]) {
        let range = range.clamped(to: 0..<stored.count)
        stored.replaceSubrange(range, with: new)
        var objects: [UnsafeMutableRawPointer?] = new.map { _ in
            g_object_new_with_properties(g_object_get_type(), 0, nil, nil).map { UnsafeMutableRawPointer($0) }
        }
        g_list_store_splice(
            model.opaque, guint(range.lowerBound), guint(range.count), &objects, guint(objects.count))
        for object in objects { if let object { g_object_unref(object) } }
    }

    /// Scrolls so that a fraction of the list's height is above what is visible; 0 shows the top, 1 the end.
    public func scroll(to fraction: Double) {
        let adjustment = gtk_scrolled_window_get_vadjustment(scroller.opaque)
        let (upper, page) = (gtk_adjustment_get_upper(adjustment), gtk_adjustment_get_page_size(adjustment))
        gtk_adjustment_set_value(adjustment, max(0, upper - page) * min(max(fraction, 0), 1))
    }

    /// How far the list is scrolled: the height above what is visible, in GTK's pixels.
    public var position: Double { gtk_adjustment_get_value(gtk_scrolled_window_get_vadjustment(scroller.opaque)) }

    // MARK: Cells

    private func setUp(_ item: GObjectPointer) {
        let cell = makeCell()
        madeCells += 1
        item.raw.keep(cell, as: Self.key)
        gtk_list_item_set_child(item.opaque, cell.widget)
    }

    private func bind(_ item: GObjectPointer) {
        let position = Int(gtk_list_item_get_position(item.opaque))
        guard stored.indices.contains(position), let cell = Self.cell(of: item) else { return }
        shownItems += 1
        cell.show(stored[position])
    }

    private static func cell(of item: GObjectPointer) -> Cell? {
        let object = g_object_get_data(item.raw.assumingMemoryBound(to: GObject.self), key)
        return object.flatMap { Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue() as? Cell }
    }
}
