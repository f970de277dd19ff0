/** Returns the connection that a notification names in its data. Data messages have that of their installation. */
export function connectionIdOf({ data }: Record<string, unknown>): string | undefined {
  if (typeof data !== 'object' || data === null) return undefined
  const id: unknown = Reflect.get(data, 'connectionId')
  return typeof id === 'string' && /^[\w-]{1,100}$/.test(id) ? id : undefined
}
