// What the page uses of Photo Sphere Viewer; `make vendor` bundles it with its dependencies into the package.
import "@photo-sphere-viewer/core/index.css";
import "@photo-sphere-viewer/markers-plugin/index.css";

export { Viewer } from "@photo-sphere-viewer/core";
export { MarkersPlugin } from "@photo-sphere-viewer/markers-plugin";
