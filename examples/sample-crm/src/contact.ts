/** A person in the sample CRM, as its API answers it. Null is no value. Times are RFC 3339 in UTC. */
export interface Contact {
  readonly id: string
  readonly first_name: string | null
  readonly last_name: string | null
  readonly email: string
  readonly phone: string | null
  readonly company: { readonly name: string | null; readonly city: string | null }
  readonly stage: 'lead' | 'customer' | 'lost' | null
  readonly score: number | null
  readonly tags: readonly string[]
  /** What this workspace added to the standard fields. */
  readonly custom_fields: {
    readonly plan: 'free' | 'team' | 'enterprise' | null
    readonly vip: boolean | null
    readonly renewal_at: string | null
  }
  readonly created_at: string
  readonly updated_at: string
}

/** `0` becomes `con_0000001`: padded, so that the order of ids as text is the order of creation. */
export function contactId(index: number): string {
  return `con_${String(index + 1).padStart(7, '0')}`
}

/** How many ids there are: they have seven digits. */
export const contactsMax = 9_999_999

/** The inverse of {@link contactId}; undefined for what is no contact id. */
export function contactIndex(id: string): number | undefined {
  const index = /^con_(\d{7})$/.test(id) ? Number(id.slice(4)) - 1 : -1
  return index >= 0 ? index : undefined
}
