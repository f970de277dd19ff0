import { InvalidInput } from '../../../kernel/http/index.ts'

/**
 * The provider names of the objects that a body names; undefined for all. Throws with one issue for each unknown name.
 */
export function namedObjects(
  body: { objects?: string[] } | undefined | null,
  names: ReadonlyMap<string, string>,
): string[] | undefined {
  if (!body?.objects) return undefined
  const issues = body.objects.flatMap((value, index) =>
    names.has(value)
      ? []
      : [
          {
            in: 'body' as const,
            name: `objects[${index}]`,
            value,
            detail: 'The installation reads no object of this name.',
            remedy: `Name one of: ${[...new Set(names.values())].join(', ')}.`,
          },
        ],
  )
  if (issues.length > 0) throw new InvalidInput({ issues })
  return body.objects.map((name) => names.get(name) ?? name)
}
