import { attack } from './s17-prototype.ts'
import { testAttack } from './test-attack.testkit.ts'

testAttack(attack)
