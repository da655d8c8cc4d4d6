// Bundles the panorama library into the package, with the licences of everything in the bundle.
import { readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const out = new URL("../../src/mtvm/viewer/static/vendor/", import.meta.url).pathname;
const { metafile } = await build({
  entryPoints: { panorama: "entry.js" },
  outdir: out,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  legalComments: "none",
  metafile: true,
});
const inside = (path) => path.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1];
const packages = [...new Set(Object.keys(metafile.inputs).map(inside).filter(Boolean))].sort();
const licences = packages.map((name) => {
  const { version, license } = JSON.parse(readFileSync(`node_modules/${name}/package.json`));
  return `${name} ${version} (${license})\n\n${readFileSync(`node_modules/${name}/LICENSE`, "utf8").trim()}\n`;
});
writeFileSync(`${out}LICENSES.txt`, licences.join(`\n${"-".repeat(80)}\n\n`));
console.log(packages.join(", "));
