/** The library of the protocol, loaded with the first request. */
export function loadLibrary() {
  return import('@modelcontextprotocol/server')
}

export type Library = Awaited<ReturnType<typeof loadLibrary>>
