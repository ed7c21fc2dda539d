// What the widget tests and the Gallery ask of GTK.

#ifndef C_GTK_CHECKS_H
#define C_GTK_CHECKS_H

#include <gtk/gtk.h>
#include <stdbool.h>
#include <stdint.h>

// Whether a widget has an accessible role; of the backend of GTK_A11Y=test.
bool check_has_role(GtkWidget *widget, GtkAccessibleRole role);

// Returns what is wrong with an accessible text, to be freed with g_free; NULL if it is as expected.
char *check_accessible_text(GtkWidget *widget, GtkAccessibleProperty property, const char *expected);

// Returns what is wrong with the accessible state "busy"; NULL if it is as expected.
char *check_accessible_busy(GtkWidget *widget, bool expected);

// Draws a widget as it is into a texture; NULL if it is not drawn.
GdkTexture *check_drawn(GtkWidget *widget);

// The place of a widget in another.
bool check_bounds(GtkWidget *widget, GtkWidget *in, float *x, float *y, float *width, float *height);

// Calls functions before and after each frame of a widget's surface.
void check_frames(GtkWidget *widget, void (*before)(gpointer data), void (*after)(gpointer data), gpointer data);

#endif
