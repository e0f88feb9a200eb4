// My kernel of EXP against the specification: rustc --edition 2021 main.rs -L PREFIX/lib -l tensor_cts
use std::{ffi::{c_char, c_int, c_void, CStr}, ptr::null};

#[repr(C)]
struct Tensor { name: *const c_char, kind: *const c_char, shape: *const i64, rank: usize, data: *const c_void, bytes: usize }
#[repr(C)]
struct Argument { name: *const c_char, tensors: *const Tensor, tensor_count: usize, value: *const c_char }
#[repr(C)]
struct Call { op: *const c_char, edition: *const c_char, level: *const c_char, data_set: *const c_int,
              arguments: *const Argument, argument_count: usize, outputs: *const Tensor, output_count: usize }
extern "C" {
    fn tensor_cts_reference(call: *const Call) -> *mut c_void;
    fn tensor_cts_judge(answer: *const c_void, result: *const Tensor, figures: *mut c_void) -> c_int;
    fn tensor_cts_close_answer(answer: *mut c_void);
    fn tensor_cts_message() -> *const c_char;
}

fn tensor(name: &CStr, values: &[f32], shape: &[i64; 1]) -> Tensor {
    Tensor { name: name.as_ptr(), kind: c"fp32".as_ptr(), shape: shape.as_ptr(), rank: 1,
             data: values.as_ptr().cast(), bytes: 4 * values.len() }
}

fn main() {
    let (x, shape) = ([-1.0f32, 0.0, 0.5, 10.0], [4]);
    let y = x.map(f32::exp);
    let input = tensor(c"input1", &x, &shape);
    let argument = Argument { name: c"input1".as_ptr(), tensors: &input, tensor_count: 1, value: null() };
    let call = Call { op: c"EXP".as_ptr(), edition: null(), level: null(), data_set: null(),
                      arguments: &argument, argument_count: 1, outputs: null(), output_count: 0 };
    unsafe {
        let answer = tensor_cts_reference(&call);
        let verdict = tensor_cts_judge(answer, &tensor(c"output", &y, &shape), std::ptr::null_mut());
        println!("EXP: {} {}", ["accept", "reject", "no call:"][verdict as usize], CStr::from_ptr(tensor_cts_message()).to_string_lossy());
        tensor_cts_close_answer(answer);
        std::process::exit(verdict);
    }
}
