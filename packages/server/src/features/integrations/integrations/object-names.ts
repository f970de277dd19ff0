import { type IntegrationContent, parseBracketPath } from '@mortise/manifest'
import { objectLabel, type ProviderEntry } from '@mortise/providers'

/**
 * A name for people, made of a name for machines: `createdAt`, `created_at` and `$['created']['at']` are `Created At`.
 */
export function labelOf(name: string): string {
  const words = (parseBracketPath(name) ?? [name])
    .join(' ')
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(/[\s_.\-/]+/)
    .filter((word) => word !== '')
  if (words.length === 0) return name
  return words.map((word) => word.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase())).join(' ')
}

/** Returns the display name of an object: from the manifest, from the provider file, or made of the object's name. */
export function objectNameOf(
  entry: ProviderEntry | undefined,
  { read, module }: Pick<IntegrationContent, 'read' | 'module'>,
  objectName: string,
): string {
  const declared = read?.objects.find((object) => object.objectName === objectName)
  return declared?.mapToDisplayName ?? (entry && objectLabel(entry, module, objectName)) ?? labelOf(objectName)
}
