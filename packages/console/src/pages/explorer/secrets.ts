const secretName = /secret|password|token|credential|authorization|signature|assertion|cookie|api-?_?key|^key$|^code$/i

/** Names whose values are never stored in this browser. */
export function isSecretName(name: string): boolean {
  return secretName.test(name)
}

/** Longer bodies are not worth keeping. */
const bodyMax = 4_000

/** A JSON body without its secrets; empty for any other body, which may hold secrets anywhere. */
export function withoutSecrets(body: string): string {
  try {
    const text = JSON.stringify(
      JSON.parse(body),
      (name, value: unknown) => (isSecretName(name) && value !== null ? '' : value),
      2,
    )
    return text.length > bodyMax ? '' : text
  } catch {
    return ''
  }
}

/** A path without the values of secret parameters in its query. */
export function pathWithoutSecrets(path: string): string {
  const [before = '', query] = path.split(/\?(.*)/s)
  if (query === undefined) return path
  const pairs = query.split('&').map((pair) => {
    const [name = ''] = pair.split('=')
    return isSecretName(decoded(name)) ? `${name}=` : pair
  })
  return `${before}?${pairs.join('&')}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
