/** What a reader chose in this browser. Another browser starts without it, and nothing breaks when it is lost. */
const prefix = 'mortise:'

export function readSetting<T>(name: string, otherwise: T): T {
  try {
    const text = localStorage.getItem(prefix + name)
    return text === null ? otherwise : (JSON.parse(text) as T)
  } catch {
    return otherwise
  }
}

export function writeSetting(name: string, value: unknown): void {
  try {
    localStorage.setItem(prefix + name, JSON.stringify(value))
  } catch {
    // The browser stores nothing: the choice lasts until the page is left.
  }
}
