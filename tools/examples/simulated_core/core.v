// A core that computes ABS and ADD of i32 and MATMUL of i8, one step of its loops a cycle, in a memory of bytes;
// and the bench that gives it the cases.
module core #(parameter BUG = 0) (
  input clock, input start, input [1:0] op,
  input [31:0] a, b, out, a_zp, b_zp,       // addresses
  input [191:0] size,                       // of six nested loops, the outermost first
  input [191:0] a_stride, b_stride, out_stride,  // bytes a step of each loop
  output reg done);

  localparam ABS = 0, ADD = 1, MATMUL = 2;
  reg [7:0] memory [0:(1 << 20) - 1];
  reg [31:0] index [0:5];
  reg [31:0] at_a, at_b, at_out, sum, x, y;
  integer i;
  reg carry, running = 0;

  function [31:0] part(input [191:0] list, input integer position);
    part = list[32 * (5 - position) +: 32];
  endfunction
  function [31:0] word(input [31:0] address);
    word = {memory[address + 3], memory[address + 2], memory[address + 1], memory[address]};
  endfunction
  function [31:0] extended(input [7:0] value);
    extended = {{24{value[7]}}, value};
  endfunction

  always @(posedge clock) begin
    done <= 0;
    if (start) begin
      for (i = 0; i < 6; i = i + 1) index[i] <= 0;
      running <= 1;
    end else if (running) begin
      at_a = a; at_b = b; at_out = out;
      for (i = 0; i < 6; i = i + 1) begin
        at_a = at_a + index[i] * part(a_stride, i);
        at_b = at_b + index[i] * part(b_stride, i);
        at_out = at_out + index[i] * part(out_stride, i);
      end
      case (op)
        ABS: begin
          x = word(at_a);
          y = x[31] ? -x : x;
        end
        ADD: y = word(at_a) + word(at_b);
        default: begin  // MATMUL: the innermost loop adds up
          x = extended(memory[at_a]) - extended(memory[a_zp]);
          // The planted bug: the zero point of the second operand is forgotten.
          y = extended(memory[at_b]) - (BUG == 1 ? 0 : extended(memory[b_zp]));
          y = x * y + (index[5] == 0 ? 0 : sum);
        end
      endcase
      sum = y;
      {memory[at_out + 3], memory[at_out + 2], memory[at_out + 1], memory[at_out]} = y;
      carry = 1;
      for (i = 5; i >= 0; i = i - 1) if (carry) begin
        carry = index[i] + 1 == part(size, i);
        index[i] <= carry ? 0 : index[i] + 1;
      end
      running <= !carry;
      done <= carry;
    end
  end
endmodule

module bench;
  parameter BUG = 0;
  parameter LIMIT = 10000000;  // of clocks for one start of the core
  reg clock = 0, start = 0;
  reg [1:0] op;
  reg [31:0] a, b, out, a_zp, b_zp;
  reg [191:0] size, a_stride, b_stride, out_stride;
  wire done;
  core #(BUG) core(clock, start, op, a, b, out, a_zp, b_zp, size, a_stride, b_stride, out_stride, done);
  always #1 clock = !clock;

  reg [8 * 300 - 1:0] commands_name, results_name, image;
  integer commands, results, fields, answer, bytes, place, scratch_end, steps, waited, i;
  reg [31:0] status;

  task next_case;
    fields = $fscanf(commands, "%s %h %h %h %h %h %h", image, status, answer, bytes, place, scratch_end, steps);
  endtask

  initial begin
    if (!$value$plusargs("commands=%s", commands_name)) $finish;
    if (!$value$plusargs("results=%s", results_name)) $finish;
    commands = $fopen(commands_name, "r");
    results = $fopen(results_name, "a");
    next_case;
    while (fields == 7) begin
      $readmemh(image, core.memory);
      // What the core does not write stays undefined, and import-results says so.
      for (i = answer; i < scratch_end; i = i + 1) core.memory[i] = 8'hxx;
      repeat (steps) begin
        fields = $fscanf(commands, "%h %h %h %h %h %h %h %h %h %h", op, a, b, out, a_zp, b_zp, size,
                         a_stride, b_stride, out_stride);
        @(negedge clock) start = 1;
        @(negedge clock) start = 0;
        waited = 0;
        while (!done && waited < LIMIT) @(negedge clock) waited = waited + 1;
        // A core that hangs has no status, and import-results says so.
        if (!done) status = 32'hxxxxxxxx;
      end
      {core.memory[answer + 3], core.memory[answer + 2], core.memory[answer + 1], core.memory[answer]} = status;
      $fwrite(results, "@%08x\n", place);
      for (i = answer; i < answer + bytes; i = i + 1) $fwrite(results, "%h\n", core.memory[i]);
      next_case;
    end
    $finish;
  end
endmodule
