export type Library = typeof import('@modelcontextprotocol/server')

let loaded: Promise<Library> | undefined

/** Returns the library of the protocol, loaded with the first request: `import` takes time for a loaded module, too. */
export function loadLibrary(): Promise<Library> {
  loaded ??= import('@modelcontextprotocol/server')
  return loaded
}
