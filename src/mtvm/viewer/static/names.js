// Candidates in words: the room they are in, how far they are, and in which direction, as the agent looks.

const SECTORS = ["ahead", "ahead right", "right", "behind right", "behind", "behind left", "left", "ahead left"];

// Heading, elevation and distance of one viewpoint from another, in a building's plan.
export function direction(plan, from, to) {
  const [x, y, z] = plan[from], [east, north, up] = plan[to];
  const flat = Math.hypot(east - x, north - y), rise = up - z;
  return { heading: Math.atan2(east - x, north - y), elevation: Math.atan2(rise, flat), distance: Math.hypot(flat, rise) };
}

export function describe(plan, event, name) {
  if (!plan?.[name] || !plan[event.viewpoint]) return "";
  if (name === event.viewpoint) return "a turn on the spot";
  const { heading, distance } = direction(plan, event.viewpoint, name);
  const turn = (((heading - event.heading) / (2 * Math.PI)) % 1 + 1) % 1;
  const storeys = plan[name][3] - plan[event.viewpoint][3];
  const room = plan[name][4]?.split(",")[0].split(" containing ")[0];
  const parts = [room, `${distance.toFixed(1)} m`, SECTORS[Math.round(turn * 8) % 8]];
  if (storeys) parts.push(storeys > 0 ? "upstairs" : "downstairs");
  return parts.filter(Boolean).join(", ");
}

// What a candidate is called: as the agent's thought calls it, or else by its number from 1.
export function called(event, action) {
  const places = event.details?.places;
  return Array.isArray(places) && places.length === event.candidates.length ? String(places[action]).slice(0, 4) : String(action + 1);
}

// A dialog's markers, and who speaks after them.
export const ROLES = /<(NAV|ORA|TAR)>/;
export const SPEAKERS = { NAV: "Navigator", ORA: "Oracle", TAR: "Target" };

// A dialog in one line.
export const inOneLine = (text) => text.replace(/\s*<(NAV|ORA|TAR)>/g, (_, role) => ` ${SPEAKERS[role]}:`).trim();
