export function label(name: string): string {
  return name.trim();
}
