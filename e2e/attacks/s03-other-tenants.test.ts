import { attack } from './s03-other-tenants.ts'
import { testAttack } from './test-attack.testkit.ts'

testAttack(attack)
