import type { ProviderTool } from '@mortise/providers'

const toolsMax = 1_000
const descriptionMax = 2_000
const charactersMax = 2 * 1024 * 1024

/** Returns tools of a foreign server for people: as many as fit, without characters that a terminal would execute. */
export function shownTools(tools: readonly ProviderTool[]) {
  let left = charactersMax
  return tools.slice(0, toolsMax).map(({ name, description, inputSchema, digest, fault }) => {
    const size = fault === undefined ? JSON.stringify(inputSchema).length : 0
    const isShown = fault === undefined && size <= left
    if (isShown) left -= size
    return {
      name: clean(name),
      ...(description !== undefined && { description: clean(description).slice(0, descriptionMax).toWellFormed() }),
      ...(isShown && { inputSchema }),
      digest,
      ...(fault !== undefined && { fault }),
    }
  })
}

function clean(text: string): string {
  return text.toWellFormed().replace(/[^\P{C}\n\t]/gu, '')
}
