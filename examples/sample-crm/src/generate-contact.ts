import type { Company } from './companies.ts'
import { type Contact, contactId } from './contact.ts'
import { pick, randomOf } from './random.ts'

const firstNames = (
  'Ada Akira Amara Anselm Bao Beatriz Björn Chidi Clara Dalia Elif Emeka Farah Gael Hana Ines ' +
  'Ivo Jamal Jun Kaito Leila Liv Mateo Mei Nadia Noor Omar Paola Quinn Ravi Sofia Tomás'
).split(' ')
const lastNames = (
  'Abe Almeida Baker Castro Chen Diaz Eriksen Fofana Garcia Haddad Ito Jansen Kaya Kovacs Lind Mensah ' +
  "Moreau Nair Novak O'Neil Okafor Patel Quist Rossi Sato Silva Singh Tanaka Ueda Vargas Weber Zhang"
).split(' ')
const tags = ['newsletter', 'partner', 'event', 'trial', 'referral', 'press']
const dayMs = 24 * 3_600_000

/** What decides a generated contact, besides its index. */
export interface ContactOrigin {
  readonly seed: number
  readonly companies: readonly Company[]
  /** The beginning of the history, in ms: no contact is older. */
  readonly historyStart: number
}

/** The contact at `index` as it was when the CRM started: the same for the same origin, whatever was asked before. */
export function generateContact(origin: ContactOrigin, index: number, updatedAt: number): Contact {
  const random = randomOf(origin.seed, index)
  const first = pick(random, firstNames)
  const last = pick(random, lastNames)
  const company = pick(random, origin.companies)
  const createdAt = origin.historyStart + Math.floor(random() * (updatedAt - origin.historyStart))
  return {
    id: contactId(index),
    first_name: first,
    last_name: last,
    email: `${ascii(first)}.${ascii(last)}.${index + 1}@example.com`,
    phone: `+1555${String(index + 1).padStart(7, '0')}`,
    company: { name: company.name, city: company.city },
    stage: pick(random, ['lead', 'lead', 'customer', 'lost'] as const),
    score: Math.floor(random() * 101),
    tags: tags.filter(() => random() < 0.25),
    custom_fields: {
      plan: pick(random, ['free', 'team', 'enterprise'] as const),
      vip: random() < 0.05,
      renewal_at: new Date(createdAt + Math.ceil(random() * 365) * dayMs).toISOString(),
    },
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(updatedAt).toISOString(),
  }
}

function ascii(name: string): string {
  return name
    .normalize('NFD')
    .replace(/[^a-z]/gi, '')
    .toLowerCase()
}
