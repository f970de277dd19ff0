import { attack } from './s04-tenant-isolation.ts'
import { testAttack } from './test-attack.testkit.ts'

testAttack(attack)
