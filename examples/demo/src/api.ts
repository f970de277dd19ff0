/** Calls one endpoint of Mortise, as any HTTP client would. Throws the problem that the response has. */
export type Call = <T = Record<string, unknown>>(method: string, path: string, body?: unknown) => Promise<T>

export function createCall(url: string, apiKey: string): Call {
  return async (method, path, body) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { 'X-Api-Key': apiKey, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}:\n${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
}
