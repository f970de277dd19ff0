/** Parses a body for display. Returns it as text if it is not JSON. */
export function asJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
