#include "CGTKChecks.h"

bool check_has_role(GtkWidget *widget, GtkAccessibleRole role) { return gtk_test_accessible_has_role(GTK_ACCESSIBLE(widget), role); }

char *check_accessible_text(GtkWidget *widget, GtkAccessibleProperty property, const char *expected) {
    return gtk_test_accessible_check_property(GTK_ACCESSIBLE(widget), property, expected);
}

char *check_accessible_busy(GtkWidget *widget, bool expected) {
    return gtk_test_accessible_check_state(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_STATE_BUSY, (gboolean)expected);
}

GdkTexture *check_drawn(GtkWidget *widget) {
    GtkNative *native = gtk_widget_get_native(widget);
    GskRenderer *renderer = native ? gtk_native_get_renderer(native) : NULL;
    if (!renderer) return NULL;
    double width = gtk_widget_get_width(widget), height = gtk_widget_get_height(widget);
    GdkPaintable *paintable = gtk_widget_paintable_new(widget);
    GtkSnapshot *snapshot = gtk_snapshot_new();
    gdk_paintable_snapshot(paintable, snapshot, width, height);
    GskRenderNode *node = gtk_snapshot_free_to_node(snapshot);
    g_object_unref(paintable);
    if (!node) return NULL;
    GdkTexture *texture = gsk_renderer_render_texture(renderer, node, &GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height));
    gsk_render_node_unref(node);
    return texture;
}

bool check_bounds(GtkWidget *widget, GtkWidget *in, float *x, float *y, float *width, float *height) {
    graphene_rect_t bounds;
    if (!gtk_widget_compute_bounds(widget, in, &bounds)) return false;
    *x = bounds.origin.x;
    *y = bounds.origin.y;
    *width = bounds.size.width;
    *height = bounds.size.height;
    return true;
}

void check_frames(GtkWidget *widget, void (*before)(gpointer data), void (*after)(gpointer data), gpointer data) {
    GdkFrameClock *clock = gtk_widget_get_frame_clock(widget);
    g_signal_connect_swapped(clock, "before-paint", G_CALLBACK(before), data);
    g_signal_connect_swapped(clock, "after-paint", G_CALLBACK(after), data);
}
