import type { Item } from '@mortise/client'
import { useCall } from '../session/data.ts'
import { useProject } from '../session/project.tsx'
import { words } from './status.tsx'

type Actor = NonNullable<Item<'listTimeline'>['actor']>

/** Returns the names of people by their ids. Without the right to see them, ids stay. */
function usePeople(): (id: string) => string | undefined {
  const orgId = useProject()?.orgId ?? ''
  const { data } = useCall('listOrgBuilders', { orgId }, { enabled: orgId !== '', staleMs: 300_000 })
  return (id) => {
    if (id === 'bootstrap') return 'First key'
    const found = data?.find((builder) => builder.id === id)
    return found && (found.fullName || found.primaryEmail)
  }
}

/** Returns who did something, in words. */
export function useActorName(): (actor: Actor) => string {
  const personOf = usePeople()
  return ({ name, id, kind }) => {
    const person = id !== undefined && kind === 'person' ? personOf(id) : undefined
    return person || name || (kind === 'system' ? 'Mortise' : shortened(id)) || words(kind)
  }
}

/** Returns the author of a config, in words: the service says `builder:{id}` or `consumer:{ref}`. */
export function useAuthorName(): (author: string) => string {
  const personOf = usePeople()
  return (author) => {
    const [, kind, id = ''] = /^(\w+):(.*)$/s.exec(author) ?? []
    if (kind === 'builder') return personOf(id) ?? shortened(id) ?? author
    return kind === 'consumer' ? id : author
  }
}

/** An id that nobody has a name for. */
function shortened(id: string | undefined): string | undefined {
  return id !== undefined && /^[0-9a-f-]{36}$/.test(id) ? `${id.slice(0, 8)}…` : id
}
