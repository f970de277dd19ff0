/** A template as clients of the interface write it: `{{workspace}}` here is `{{.workspace}}` there. */
export function clientTemplate(text: string): string {
  return text.replaceAll(/\{\{\s*([A-Za-z_]\w*)\s*\}\}/g, '{{.$1}}')
}

/** The same for each value of a map. */
export function clientTemplates(map: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(map).map(([name, text]) => [name, clientTemplate(text)]))
}
