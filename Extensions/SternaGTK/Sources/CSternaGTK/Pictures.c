#include "CSternaGTK.h"

GdkTexture *sterna_gtk_texture(const void *bytes, size_t count, int width, int height, gpointer owner,
                               void (*release)(gpointer owner)) {
    GBytes *shared = g_bytes_new_with_free_func(bytes, count, release, owner);
    GdkTexture *texture = gdk_memory_texture_new(width, height, GDK_MEMORY_R8G8B8A8_PREMULTIPLIED, shared, (gsize)width * 4);
    g_bytes_unref(shared);
    return texture;
}

// MARK: Fading

#define STERNA_TYPE_GTK_FADE (sterna_gtk_fade_get_type())
G_DECLARE_FINAL_TYPE(SternaGTKFade, sterna_gtk_fade, STERNA, GTK_FADE, GObject)

struct _SternaGTKFade {
    GObject parent;
    GdkPaintable *from;
    GdkPaintable *to;
    double progress;
    bool covers;
};

static void draw(GdkPaintable *paintable, GdkSnapshot *snapshot, double width, double height, bool covers) {
    double ratio = gdk_paintable_get_intrinsic_aspect_ratio(paintable);
    double drawn_width = width, drawn_height = height;
    if (ratio > 0 && height > 0) {
        if ((width / height > ratio) == covers) {
            drawn_height = width / ratio;
        } else {
            drawn_width = height * ratio;
        }
    }
    graphene_point_t place = GRAPHENE_POINT_INIT((float)((width - drawn_width) / 2), (float)((height - drawn_height) / 2));
    gtk_snapshot_save(snapshot);
    gtk_snapshot_translate(snapshot, &place);
    gdk_paintable_snapshot(paintable, snapshot, drawn_width, drawn_height);
    gtk_snapshot_restore(snapshot);
}

static void fade_snapshot(GdkPaintable *paintable, GdkSnapshot *snapshot, double width, double height) {
    SternaGTKFade *self = STERNA_GTK_FADE(paintable);
    gtk_snapshot_push_clip(snapshot, &GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height));
    gtk_snapshot_push_cross_fade(snapshot, self->progress);
    if (self->from) draw(self->from, snapshot, width, height, self->covers);
    gtk_snapshot_pop(snapshot);
    gdk_paintable_snapshot(self->to, snapshot, width, height);
    gtk_snapshot_pop(snapshot);
    gtk_snapshot_pop(snapshot);
}

static int fade_width(GdkPaintable *paintable) { return gdk_paintable_get_intrinsic_width(STERNA_GTK_FADE(paintable)->to); }

static int fade_height(GdkPaintable *paintable) { return gdk_paintable_get_intrinsic_height(STERNA_GTK_FADE(paintable)->to); }

static double fade_ratio(GdkPaintable *paintable) { return gdk_paintable_get_intrinsic_aspect_ratio(STERNA_GTK_FADE(paintable)->to); }

static GdkPaintableFlags fade_flags(GdkPaintable *paintable) {
    (void)paintable;
    return GDK_PAINTABLE_STATIC_SIZE;
}

static void fade_interface(GdkPaintableInterface *interface) {
    interface->snapshot = fade_snapshot;
    interface->get_intrinsic_width = fade_width;
    interface->get_intrinsic_height = fade_height;
    interface->get_intrinsic_aspect_ratio = fade_ratio;
    interface->get_flags = fade_flags;
}

G_DEFINE_TYPE_WITH_CODE(SternaGTKFade, sterna_gtk_fade, G_TYPE_OBJECT, G_IMPLEMENT_INTERFACE(GDK_TYPE_PAINTABLE, fade_interface))

static void sterna_gtk_fade_dispose(GObject *object) {
    SternaGTKFade *self = STERNA_GTK_FADE(object);
    g_clear_object(&self->from);
    g_clear_object(&self->to);
    G_OBJECT_CLASS(sterna_gtk_fade_parent_class)->dispose(object);
}

static void sterna_gtk_fade_class_init(SternaGTKFadeClass *class) { G_OBJECT_CLASS(class)->dispose = sterna_gtk_fade_dispose; }

static void sterna_gtk_fade_init(SternaGTKFade *self) { (void)self; }

GdkPaintable *sterna_gtk_fade(GdkPaintable *from, GdkPaintable *to, bool covers) {
    SternaGTKFade *self = g_object_new(STERNA_TYPE_GTK_FADE, NULL);
    // As it is now: what changes later is not shown.
    self->from = from ? gdk_paintable_get_current_image(from) : NULL;
    self->to = g_object_ref(to);
    self->covers = covers;
    return GDK_PAINTABLE(self);
}

void sterna_gtk_fade_set_progress(GdkPaintable *fade, double progress) {
    SternaGTKFade *self = STERNA_GTK_FADE(fade);
    self->progress = CLAMP(progress, 0, 1);
    gdk_paintable_invalidate_contents(fade);
}
