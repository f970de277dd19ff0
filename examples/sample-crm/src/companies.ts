import { pick, randomOf } from './random.ts'

/** A company of the sample CRM. There are few, and they carry no time of change: the object that is read whole. */
export interface Company {
  readonly id: string
  readonly name: string
  readonly city: string
  readonly industry: 'retail' | 'software' | 'health' | 'logistics'
  readonly employees: number
}

const names = ['Acorn', 'Birch', 'Copper', 'Delta', 'Ember', 'Fjord', 'Granite', 'Harbor', 'Indigo', 'Juniper']
const kinds = ['Works', 'Trading', 'Labs', 'Partners']
const cities = ['Berlin', 'Bogotá', 'Chicago', 'Kraków', 'Lagos', 'Lisbon', 'Osaka', 'Pune', 'São Paulo', 'Toronto']
const industries = ['retail', 'software', 'health', 'logistics'] as const

/** The 40 companies of a seed. */
export function generateCompanies(seed: number): readonly Company[] {
  return kinds.flatMap((kind, row) =>
    names.map((name, column) => {
      const index = row * names.length + column
      const random = randomOf(seed, -2 - index)
      return {
        id: `cmp_${String(index + 1).padStart(3, '0')}`,
        name: `${name} ${kind}`,
        city: pick(random, cities),
        industry: pick(random, industries),
        employees: 5 + Math.floor(random() * 2_000),
      }
    }),
  )
}
