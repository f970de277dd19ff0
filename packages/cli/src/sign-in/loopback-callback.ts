import { timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Callback {
  port: number
  /** The code that the browser brings; rejects when the signal ends the wait. */
  code: Promise<string>
  /** Shows the result in the browser, and stops the server. */
  finish(message: string): Promise<void>
}

/**
 * Waits on the loopback address for the browser to bring a code (RFC 8252, 7.3). Only a request to this very address,
 * with the state that this command made up, counts, and only the first one: any page on this computer can send requests
 * here.
 */
export async function waitForCallback(state: string, signal: AbortSignal): Promise<Callback> {
  let brought: ((code: string) => void) | undefined
  let failed: ((reason: unknown) => void) | undefined
  const code = new Promise<string>((resolve, reject) => {
    brought = resolve
    failed = reject
  })
  // The caller may not await it yet.
  code.catch(() => {})
  let browser: ServerResponse | undefined
  const server = createServer((request, response) => {
    const found = codeOf(request, state, port)
    if (found === undefined || browser) return answer(response, 404, 'Page not found.')
    browser = response
    brought?.(found)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const stop = () => {
    failed?.(signal.reason)
    server.close()
    server.closeAllConnections()
  }
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  return {
    port,
    code,
    async finish(message) {
      signal.removeEventListener('abort', stop)
      if (browser && !browser.closed) {
        const responded = new Promise((resolve) => browser?.once('close', resolve))
        answer(browser, 200, message)
        await responded
      }
      server.close()
      server.closeAllConnections()
    },
  }
}

function codeOf({ method, url, headers }: IncomingMessage, state: string, port: number): string | undefined {
  // Another name for this address would be somebody else's page (DNS rebinding).
  if (method !== 'GET' || headers.host !== `127.0.0.1:${port}`) return undefined
  const { pathname, searchParams } = new URL(url ?? '/', 'http://127.0.0.1')
  const code = searchParams.get('code')
  if (pathname !== '/callback' || !code || !isSame(searchParams.get('state') ?? '', state)) return undefined
  return code
}

function isSame(received: string, wanted: string): boolean {
  const [one, two] = [Buffer.from(received), Buffer.from(wanted)]
  return one.length === two.length && timingSafeEqual(one, two)
}

/** @param message of ours: no input is shown */
function answer(response: ServerResponse, status: number, message: string): void {
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>mortise</title><style>:root{color-scheme:light dark}body{font:1.1rem/1.5 system-ui,sans-serif;margin:20vh auto;max-width:32rem;padding:0 1rem;text-align:center}</style><p>${message}</p></html>`
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    connection: 'close',
  })
  response.end(page)
}
