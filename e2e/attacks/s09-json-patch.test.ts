import { attack } from './s09-json-patch.ts'
import { testAttack } from './test-attack.testkit.ts'

testAttack(attack)
