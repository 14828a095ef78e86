// Numbers, sizes and times in words that people read.

const NUMBER = new Intl.NumberFormat("en");
const UNITS = ["bytes", "KB", "MB", "GB", "TB"];

export const count = (value) => NUMBER.format(value ?? 0);

/** "1 file", "2 files". */
export function many(value, one, more = `${one}s`) {
  return `${count(value)} ${value === 1 ? one : more}`;
}

export function bytes(value) {
  let unit = 0;
  let rest = value ?? 0;
  while (rest >= 1000 && unit < UNITS.length - 1) {
    rest /= 1000;
    unit += 1;
  }
  return `${unit && rest < 10 ? rest.toFixed(1) : Math.round(rest)} ${UNITS[unit]}`;
}

/** A span of time from seconds: "3 s", "2 min 5 s", "1 h 12 min". */
export function span(seconds) {
  if (seconds < 0.95) return `${Math.max(0, Math.round(seconds * 1000))} ms`;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return many(Math.round(minutes / 1440), "day");
}

export function moment(value) {
  const date = value ? new Date(value.replace(/([+-]\d\d)(\d\d)$/, "$1:$2")) : null;
  return date && !Number.isNaN(date.valueOf()) ? date : null;
}

/** How long ago: "just now", "5 minutes ago". */
export function ago(value) {
  const date = moment(value);
  if (!date) return "never";
  const seconds = (Date.now() - date.valueOf()) / 1000;
  if (seconds < 45) return "just now";
  if (seconds < 5400) return `${many(Math.max(1, Math.round(seconds / 60)), "minute")} ago`;
  if (seconds < 129600) return `${many(Math.round(seconds / 3600), "hour")} ago`;
  return `${many(Math.round(seconds / 86400), "day")} ago`;
}

/** A moment in full, for those who want to know exactly. */
export function exactly(value) {
  const date = moment(value);
  return date ? date.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" }) : "";
}
