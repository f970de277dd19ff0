import type { Windows } from '../headless/windows.ts'

const key = 'mortise-provider'

/** Notes which provider the page is left for, so that the answer is recognized when the browser returns. */
export function rememberReturn(windows: Windows, provider: () => string | undefined): Windows {
  return {
    ...windows,
    leave: (url) => {
      try {
        sessionStorage.setItem(key, provider() ?? '')
      } catch {
        // Storage is off: the page begins again with the list of providers.
      }
      windows.leave(url)
    },
  }
}

/** Returns what the browser came back with, once, and removes it from the address. */
export function takeReturn(): { provider?: string; connectionId?: string; error?: string } | undefined {
  const provider = takeStored()
  const url = new URL(location.href)
  const connectionId = url.searchParams.get('connectionId')
  const error = url.searchParams.get('error')
  if (provider === null || (connectionId === null && error === null)) return undefined
  for (const name of ['connectionId', 'status', 'error']) url.searchParams.delete(name)
  history.replaceState(history.state, '', url)
  return {
    ...(provider && { provider }),
    ...(connectionId !== null && { connectionId }),
    ...(error !== null && { error }),
  }
}

function takeStored(): string | null {
  try {
    const provider = sessionStorage.getItem(key)
    sessionStorage.removeItem(key)
    return provider
  } catch {
    return null
  }
}
