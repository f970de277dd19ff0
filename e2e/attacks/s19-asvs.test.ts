import { attack } from './s19-asvs.ts'
import { testAttack } from './test-attack.testkit.ts'

testAttack(attack)
