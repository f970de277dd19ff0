/**
 * A browser without scripts: it keeps cookies, follows no redirect by itself and sends the forms of the pages it is
 * shown.
 */
export interface Browser {
  cookies: Map<string, string>
  /** Attributes with which cookies came, by name. */
  attributes: Map<string, string>
  get(path: string): Promise<Shown>
  /** Sends a form of a page as a person would: with its hidden fields. The first form when no action is named. */
  submit(page: Shown, fields?: Record<string, string>, options?: SubmitOptions): Promise<Shown>
}

export interface SubmitOptions {
  action?: string
  headers?: Record<string, string>
}

export interface Shown {
  status: number
  url: string
  location: string | null
  headers: Headers
  text: string
}

/** @param origin of the service; a URL of another origin is asked without cookies */
export function openBrowser(origin: string, headers: Record<string, string> = {}): Browser {
  const cookies = new Map<string, string>()
  const attributes = new Map<string, string>()
  const ask = async (url: string, init: RequestInit & { headers?: Record<string, string> } = {}): Promise<Shown> => {
    const jar = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { ...(jar && { cookie: jar }), ...headers, ...init.headers },
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = '', rest = ''] = /^([^=]+)=([^;]*);?(.*)$/.exec(line) ?? []
      attributes.set(name, rest.trim())
      if (/Max-Age=0/.test(rest)) cookies.delete(name)
      else cookies.set(name, value)
    }
    const { status } = answer
    return { status, url, location: answer.headers.get('location'), headers: answer.headers, text: await answer.text() }
  }
  return {
    cookies,
    attributes,
    get: (path) => ask(new URL(path, origin).href),
    submit(page, fields = {}, options = {}) {
      const { action, values } = formOf(page.text, options.action)
      return ask(new URL(action, origin).href, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin, ...options.headers },
        body: new URLSearchParams({ ...values, ...fields }).toString(),
      })
    },
  }
}

function formOf(text: string, wanted: string | undefined): { action: string; values: Record<string, string> } {
  for (const [, action = '', content = ''] of text.matchAll(/<form method="post" action="([^"]*)">(.*?)<\/form>/gs)) {
    if (wanted !== undefined && action !== wanted) continue
    const hidden = content.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)
    return { action, values: Object.fromEntries([...hidden].map(([, name, value]) => [name, unescaped(value ?? '')])) }
  }
  throw new Error(`there is no form ${wanted ?? ''} in: ${text}`)
}

function unescaped(text: string): string {
  return text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
}
